"""Options that make a command another one, where the accepted command does not have them.

In: nothing. Out: constants, in the spelling that `options.SPELLINGS` gives. An option of the
accepted command itself is never one of these.
"""

from __future__ import annotations

from assay.checks.shell.programs import names, per_program

CHANGING_ANYWHERE = names(
    "--help --version --usage --dry-run --dryrun --simulate --just-print --recon --no-act --test "
    "--download-only --downloadonly --print-uris --no-preserve-root"
)
CHANGING = per_program("""
    apt: -s -d -h -v --reinstall --only-upgrade --print-uris
    dnf: --assumeno -h --security
    zypper: -D -d -h
    pacman: -p -w -h --root -c
    apk: -s -h
    snap flatpak: --user --dangerous
    pip: --download --user
    rpm dpkg: --test --root
    systemctl: -h --user --global --runtime --failed -a
    nginx httpd sshd apachectl: -t -T
    logrotate: -d

    rm: -r
    chmod chown chgrp setfacl: -r -R
    rsync: -n --delete --delete-after --delete-before --delete-excluded --remove-source-files
    ln: -s
    ls: -d -R
    tee: -a
    sort: -u
    uniq: -c -d -u
    diff: -q
    grep egrep fgrep zgrep rgrep: -v -L -c
    sed perl: -i -n
    tail: -f -F
    tar bsdtar: -t -x -c -r -u -A -d -O -z -j -J -Z --zstd --lzma --lzip --delete
    zip: -m -d -j
    unzip: -l -t -p -Z -v -j -c
    gzip bzip2 xz zstd pigz: -d -t -l
    sha1sum sha224sum sha256sum sha384sum sha512sum md5sum b2sum cksum shasum: -c
    wget: --spider -i -r -m
    curl: -I -O
    scp sftp ssh: -V
    ssh: -N
    git: -n --amend --hard
    make: -n -q -t

    modprobe: -r -n -c -D --show --show-depends
    modinfo: -a -d -l -p -n
    dmesg: -c -C -D -E
    journalctl: -f -k --list-boots --rotate --disk-usage --flush --sync --verify --header
    hwclock: -w -s
    mount: -f -a --fake --bind
    umount: -a -r -R -A
    swapon swapoff: -a
    fsck: -n -N -A
    e2fsck: -n -N
    mkfs mkfs.ext4 mke2fs: -n
    fdisk parted sfdisk: -l
    lvremove vgremove pvremove lvextend lvcreate: -t
    df: -i
    lsblk: -d -S -h
    shutdown: -c -k -r -H -P --show
    reboot poweroff halt: -p -w --reboot --halt
    hostnamectl: --static --transient --pretty
    logger: --file
    uptime w free ps pgrep pkill killall pstree lsblk dmesg mount umount: -V

    useradd: -D -M -r
    adduser: -M -r -S -H --system --no-create-home
    userdel: -r
    usermod: -a -L -U
    passwd: -d -l -u -S -e
    crontab: -r -l -e
    who: -b -r -m -d -l
    fuser: -k
    ps: r T L V -N --deselect
    pgrep: -c -v -o -n
    pkill: -c -v -o -n
    kill: -l -L
    killall: -l
    ss netstat: -s -r
    ssh-keygen: -R -l -y
""")
