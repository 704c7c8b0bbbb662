if [ "$1" -eq 0 ] && [ -d /run/systemd/system ]; then
    systemctl --no-reload disable --now cairn-nfs.service cairn-chunk.service cairn-master.service || :
fi
if [ "$1" -eq 0 ]; then rm -f /usr/lib/cairn/cairn.aot /usr/lib/cairn/rehearsed /var/log/cairn-rehearsal.log; fi
