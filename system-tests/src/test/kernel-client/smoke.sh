# What people do on a mount. Runs in directory $1 of the mount, says what it does, ends at the first
# mistake.
set -eu
step() { echo "- $*"; }
want() {
    if [ "$1" != "$2" ]; then
        echo "wanted $2, got $1"
        exit 1
    fi
}
mkdir "$1"
cd "$1"

step create, write, read back
echo hello >a
want "$(cat a)" hello
head -c 300000 /dev/urandom >/tmp/source
cp /tmp/source copy
want "$(md5sum <copy)" "$(md5sum </tmp/source)"

step append, truncate
echo more >>a
want "$(wc -c <a)" 11
truncate -s 3 a
want "$(cat a)" hel
truncate -s 100000 a
want "$(stat -c %s a)" 100000
want "$(tail -c 1 a | od -An -tx1 | tr -d ' ')" 00
: >a
want "$(stat -c %s a)" 0

step rename, hard link, symbolic link
echo 1 >from
echo 2 >to
mv from to
want "$(cat to)" 1
[ ! -e from ]
ln to other
want "$(stat -c %h to)" 2
want "$(stat -c %i to)" "$(stat -c %i other)"
rm to
want "$(stat -c %h other)" 1
ln -s other soft
want "$(readlink soft)" other
want "$(cat soft)" 1
mkdir -p x/y/z
mv x/y w
[ -d w/z ]
if rmdir w 2>/dev/null; then echo "removed a directory with entries"; exit 1; fi
rmdir w/z w x

step pipes, devices
mkfifo pipe
[ -p pipe ]
(echo through >pipe) &
want "$(cat pipe)" through
mknod null c 1 3
[ -c null ]
want "$(stat -c %t:%T null)" 1:3
echo gone >null
mknod disk b 259 1000
want "$(stat -c %t:%T disk)" 103:3e8

step modes, owners, times
echo >m
chmod 4751 m
want "$(stat -c %a m)" 4751
chown 1000:1001 m
want "$(stat -c %u:%g m)" 1000:1001
chmod 600 m
chown 0:0 m
if su user -c 'cat m' 2>/dev/null; then echo "read a file of others"; exit 1; fi
touch -d @1234567890 m
want "$(stat -c %Y m)" 1234567890
mkdir -m 1777 sticky
want "$(stat -c %a sticky)" 1777
su user -c 'echo mine >sticky/f'
want "$(stat -c %u sticky/f)" 1000

step exclusive creation, an open file that is removed
probe exclusive excl
want "$(stat -c %a:%s excl)" 640:1
if probe exclusive excl >/dev/null; then echo "created twice"; exit 1; fi
probe orphan orphan
[ "$(ls -A | grep -c '^\.nfs')" = 0 ]

step 2000 names in a directory
mkdir big
(cd big && for i in $(seq 2000); do : >"name-$i"; done)
want "$(ls big | wc -l)" 2000
want "$(ls -l big | grep -c name-)" 2000
echo 3 >/proc/sys/vm/drop_caches
want "$(ls big | sort -u | wc -l)" 2000
rm -r big
[ ! -e big ]

step 64 MiB
for i in $(seq 64); do head -c 1048576 /dev/urandom; done >/tmp/large
sum=$(md5sum </tmp/large)
cp /tmp/large large
echo 3 >/proc/sys/vm/drop_caches
want "$(md5sum <large)" "$sum"
dd if=large bs=1000 skip=12345 count=1000 2>/dev/null | md5sum >/tmp/part
want "$(cat /tmp/part)" "$(dd if=/tmp/large bs=1000 skip=12345 count=1000 2>/dev/null | md5sum)"
rm large /tmp/large

step holes, df, names of 255 bytes and odd ones
dd if=/tmp/source of=hole bs=4096 seek=100 count=1 2>/dev/null
want "$(stat -c %s hole)" 413696
df -k . | tail -n 1 | grep -q '%'
df -i . | tail -n 1 | grep -q '%'
long=$(printf '%255s' '' | tr ' ' n)
echo long >"$long"
want "$(cat "$long")" long
if (echo long >"x$long") 2>/dev/null; then echo "a name of 256 bytes"; exit 1; fi
odd=$(printf 'tab\there\377\\new\nline')
echo odd >"$odd"
want "$(cat tab*)" odd
cd ..
rm -r "$1"
[ ! -e "$1" ]
echo smoke is good
