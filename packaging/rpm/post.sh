install -d -m 0750 -o cairn -g cairn /var/lib/cairn
rm -f /usr/lib/cairn/rehearsed # with other jars
/usr/lib/cairn/rehearse
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if [ "$1" -gt 1 ]; then
        systemctl try-restart cairn-master.service cairn-chunk.service cairn-nfs.service || :
    fi
fi
