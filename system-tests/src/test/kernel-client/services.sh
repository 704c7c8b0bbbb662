# The programs beside the kernel's client: locks and their callbacks need both.
set -eu
rpcbind -w
rpc.statd --no-notify
mkdir -p /mnt
