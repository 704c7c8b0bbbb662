# Access control lists on directory $1 of the mount, as a kernel's client sets and obeys them.
set -eu
mkdir "$1"
cd "$1"
echo secret >f
chmod 600 f
if su user -c 'cat f' 2>/dev/null; then echo "read without a right"; exit 1; fi
setfacl -m u:1000:r f
getfacl -n f | grep -q '^user:1000:r--$'
[ "$(su user -c 'cat f')" = secret ]
if su user -c 'echo x >>f' 2>/dev/null; then echo "wrote without a right"; exit 1; fi
[ "$(stat -c %a f)" = 640 ]
setfacl -b f
if su user -c 'cat f' 2>/dev/null; then echo "read after the right ended"; exit 1; fi
mkdir d
setfacl -d -m u:1000:rwx d
echo inherited >d/f
getfacl -n d/f | grep -q '^user:1000:rwx'
mkdir d/e
getfacl -n d/e | grep -q '^default:user:1000:rwx$'
cd ..
rm -r "$1"
