install -d -m 0700 -o cairn -g cairn /var/lib/cairn
rm -f /usr/lib/cairn/rehearsed # with other jars
/usr/lib/cairn/rehearse
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    # None is started or restarted unasked: all at once would be a pause of the cluster.
    for unit in cairn-master cairn-chunk cairn-nfs; do
        if systemctl --quiet is-active "$unit.service"; then
            echo "$unit runs the version before: systemctl restart $unit, one machine after" \
                "the other (docs/upgrade.md)"
        fi
    done
fi
