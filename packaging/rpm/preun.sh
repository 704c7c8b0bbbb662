if [ "$1" -eq 0 ] && [ -d /run/systemd/system ]; then
    systemctl --no-reload disable --now cairn-nfs.service cairn-chunk.service cairn-master.service || :
fi
