getent group cairn >/dev/null || groupadd -r cairn
getent passwd cairn >/dev/null ||
    useradd -r -g cairn -d /var/lib/cairn -s /sbin/nologin -c "Cairn distributed filesystem" cairn
