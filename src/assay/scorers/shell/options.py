"""What is known of options: which are harmless, which change what a command does, which take
a value, which are two spellings of one.

In: nothing. Out: constants. Refuses to know: how commands are compared (`meaning`).
`docs/shell.md` shows the rules; a program not named here follows the general ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.scorers.shell.programs import names


def _per_program(table: str) -> dict[str, frozenset[str]]:
    """Lines of `program program: -a -b`."""
    rows: dict[str, frozenset[str]] = {}
    for line in filter(None, map(str.strip, table.splitlines())):
        programs, _, options = line.partition(": ")
        for program in programs.split():
            rows[program] = rows.get(program, frozenset()) | frozenset(options.split())
    return rows


ALIASES: Mapping[str, str] = {
    "apt-get": "apt", "aptitude": "apt", "apt-cache": "apt",
    "yum": "dnf", "microdnf": "dnf", "dnf5": "dnf",
    "pip3": "pip", "gmake": "make",
}  # fmt: skip

# Dropped from both sides: asking nothing, saying less or more, colours.
HARMLESS_ANYWHERE = frozenset({"--color", "--no-color", "--no-pager", "--colour"})
HARMLESS = _per_program("""
    apt: -y -q -qq --quiet --no-install-recommends --no-install-suggests --show-progress -V
    dnf: -y -q --quiet --best --nogpgcheck --refresh -v --setopt
    zypper: -y -q -n --quiet --non-interactive --no-confirm --no-recommends -l
    zypper: --auto-agree-with-licenses --gpg-auto-import-keys
    pacman: --noconfirm --needed -q --quiet --noprogressbar
    apk: -q --quiet --no-cache --no-interactive --no-progress -v
    snap flatpak: -y --noninteractive --assumeyes
    pip: -q --quiet --no-cache-dir --disable-pip-version-check
    npm: --no-audit --no-fund --silent
    systemctl: -q --quiet -l --full --no-block --no-ask-password
    cp mv mkdir chmod chown chgrp ln rm rmdir rsync tar modprobe useradd mount umount: -v
    ufw: --force
""")

# An answer with one of these, where the accepted command has none, is another command.
CHANGING_ANYWHERE = names(
    "--help --version --usage --dry-run --dryrun --simulate --just-print --recon --no-act --test "
    "--download-only --downloadonly --print-uris --no-preserve-root"
)
CHANGING = _per_program("""
    apt: -s -d -h -v --reinstall --only-upgrade --print-uris
    dnf: --assumeno -h
    zypper: -D -d -h
    pacman: -p -w -h --root
    apk: -s -h
    snap flatpak: --user --dangerous
    pip: --download --user
    rpm dpkg: --test --root
    systemctl: -h --user --global --runtime --failed
    rm chmod chown chgrp setfacl: -r -R
    make: -n -q -t
    rsync: -n --delete --delete-after --delete-before --delete-excluded --remove-source-files
    git: -n --amend --hard
    modprobe: -r -n -c -D --remove --show --show-depends
    mount: -f -a --fake --bind
    umount swapon swapoff: -a
    useradd: -D
    userdel: -r
    usermod: -a -L -U
    passwd: -d -l -u -S -e
    crontab: -r -l -e
    fsck e2fsck: -n -N
    fdisk parted: -l
    lvremove vgremove pvremove lvextend lvcreate: -t
    ln: -s
    tee: -a
    grep egrep fgrep zgrep: -v -L -c
    dmesg: -c -C
    journalctl tail: -f -F
    shutdown: -c -k -r -H -P
    sort: -u
    nginx httpd sshd apachectl: -t -T
    logrotate: -d
    tar: -t -x -c -r -u -A
    gzip bzip2 xz zstd: -d -t -l
    sed perl: -i -n
    hwclock: -w -s
    ssh-keygen: -R -l -y
    df: -i
    ls: -d -R
    ss netstat: -s -r
""")

# A value after these does not change what is asked for.
HARMLESS_VALUES = _per_program("""
    apt: -o -c
    dnf: --setopt --enablerepo
    useradd: -s -c -d
    adduser: --gecos --shell --home
    ping: -i -W -s
    curl wget: -m --retry --connect-timeout
    systemctl journalctl: -n
    ssh-keygen: -C
""")

# Options followed by a value. For others the next word is an operand.
VALUES = _per_program("""
    apt: -o -t -c --target-release
    dnf: --enablerepo --disablerepo --setopt -c
    tar: -f -C -T --file --directory --exclude
    head tail: -n -c --lines --bytes
    useradd usermod: -s -d -c -u -g -G -e -k -K -l
    adduser: --gecos --shell --home --uid --ingroup
    groupadd: -g
    ssh: -p -i -l -o -L -R -D -F -J
    scp sftp: -P -i -F -o -J
    rsync: -e --exclude --include
    curl: -o -H -X -d -u -b -A -e -F -T -x -m --retry --connect-timeout
    wget: -O -P -U -o -T
    grep egrep fgrep zgrep: -e -A -B -C -m -f
    cut: -d -f -c -b
    sort: -k -t -o
    mount: -t -o -L -U
    umount: -t
    mkfs: -t
    mkfs.ext4 mke2fs tune2fs: -L -m -b
    kill pkill killall: -s -u
    ps: -p -u -C -o --sort
    journalctl: -u -n -p -t -g -S -U --since --until
    systemctl: -n -p -t --type --state
    lsblk: -o
    df: -t -x
    du: -d
    ping: -c -I -i -W -s
    crontab: -u
    chage: -E -M -m -W -I
    xargs: -n -I -P -d -L
    date: -d -s
    lspci lsusb: -s -d
    git: -m -C -b
    docker podman: -p -v -e -u -w --name --network --restart
    chmod chown: --reference
    mkdir: -m
    ln: -t
    lvcreate lvextend: -L -n -l
    openssl ssh-keygen: -t -b -f -C -N
    nc: -p -w
    tcpdump: -i -c -w -r
    watch: -n
    make: -C -f -j

    sed: -e -f
    awk: -F -v -f
    psql: -U -d -h -p -c -f
    mysql: -u -h -P -e -D
    pip: -r
    nmap: -p
""")

SPELLINGS_ANYWHERE: Mapping[str, str] = {
    "--recursive": "-r", "--force": "-f", "--verbose": "-v", "--all": "-a", "--yes": "-y",
    "--assume-yes": "-y", "--assumeyes": "-y", "--human-readable": "-h", "--ignore-case": "-i",
    "--parents": "-p", "--follow": "-f",
}  # fmt: skip
SPELLINGS: Mapping[str, Mapping[str, str]] = {
    **{program: {"-R": "-r"} for program in ("rm", "cp")},
    **{program: {"--recursive": "-R"} for program in names("chmod chown chgrp ls setfacl")},
    **{program: {"--lines": "-n", "--bytes": "-c"} for program in ("head", "tail")},
    "tar": {
        "--file": "-f", "--extract": "-x", "--get": "-x", "--create": "-c", "--list": "-t",
        "--gzip": "-z", "--bzip2": "-j", "--xz": "-J", "--directory": "-C",
    },
    "journalctl": {"--unit": "-u", "--lines": "-n", "--boot": "-b"},
    "grep": {"--invert-match": "-v", "--count": "-c", "--extended-regexp": "-E"},
    "useradd": {"--create-home": "-m", "--shell": "-s", "--groups": "-G"},
    "usermod": {"--append": "-a", "--groups": "-G"},
    "uname": {"--kernel-release": "-r", "--all": "-a"},
    "modprobe": {"--remove": "-r"},
    "apt": {
        "--just-print": "-s", "--dry-run": "-s", "--recon": "-s", "--no-act": "-s",
        "--simulate": "-s", "--download-only": "-d",
    },
    "pacman": {
        "--sync": "-S", "--refresh": "-y", "--sysupgrade": "-u", "--remove": "-R",
        "--query": "-Q", "--upgrade": "-U", "--search": "-s", "--recursive": "-s",
        "--nosave": "-n", "--downloadonly": "-w", "--print": "-p",
    },
}  # fmt: skip

# Their order carries the meaning (`find . -delete -name x`), so every word is compared in place.
IN_PLACE = names("""
    find dd sed awk gawk perl echo printf test [ [[ expr ffmpeg openssl iptables ip6tables nft
    tc java gcc g++ cc clang convert magick qemu-img qemu-system-x86_64 setfacl export alias
    xargs xrandr trap
""")
# `-name` is one option there, not four.
ONE_DASH_WORDS = names("terraform ip nmap mplayer go rclone X ansible vault consul")
ANY_ORDER = names("rm rmdir mkdir touch kill systemctl apt dnf zypper apk pacman")
FOLDERS = names("cd ls mkdir rmdir rm du chmod chown mount umount")
