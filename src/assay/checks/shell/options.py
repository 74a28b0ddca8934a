"""What is known of options: which are harmless, which take a value, which are two spellings of one.

In: nothing. Out: constants. `docs/shell.md` shows the rules; a program not named here follows the
general ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.checks.shell.programs import names, per_program

ALIASES: Mapping[str, str] = {
    "apt-get": "apt", "aptitude": "apt", "apt-cache": "apt",
    "yum": "dnf", "microdnf": "dnf", "dnf5": "dnf",
    "pip3": "pip", "gmake": "make",
}  # fmt: skip

# Dropped from both sides: asking nothing, saying less or more, colours.
HARMLESS_ANYWHERE = frozenset({"--color", "--no-color", "--no-pager", "--colour"})
HARMLESS = per_program("""
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

# A value after these does not change what is asked for.
HARMLESS_VALUES = per_program("""
    apt: -o -c
    dnf: --setopt --enablerepo
    useradd: -s -c -d
    adduser: --gecos --comment --shell --home
    ping: -i -W -s
    curl wget: -m --retry --connect-timeout
    systemctl journalctl: -n
    journalctl: -o
    ssh-keygen: -C -N
    logger systemd-cat: -t -p
    ps: -o --sort
    top htop: -d -o -s
    mtr: -c
    traceroute: -m -w
""")

# These do not either, where the value looks so: columns that still tell disks from partitions.
HARMLESS_LIKE: Mapping[tuple[str, str], re.Pattern[str]] = {
    ("lsblk", "-o"): re.compile(r"(?=.*\bname\b).*\btype\b.*", re.IGNORECASE),
}

# Options that are digits and stand in clusters (`zip -r9`); more of them change nothing.
DIGITS = per_program("""
    zip gzip bzip2 xz pigz: -0 -1 -2 -3 -4 -5 -6 -7 -8 -9
    ls: -1
    ip ss netstat: -4
    ping traceroute tracepath mtr ssh scp sftp curl wget dig host rsync nc: -4 -6
""")

# Options followed by a value. For others the next word is an operand.
VALUES = per_program("""
    apt: -o -t -c --target-release
    dnf: --enablerepo --disablerepo --setopt -c
    tar bsdtar: -f -C -T -X -b --exclude
    head tail: -n -c
    useradd usermod: -s -d -c -u -g -G -e -k -K -l
    adduser: --gecos --comment --shell --home --uid --ingroup
    groupadd: -g
    chsh: -s
    ssh: -p -i -l -o -L -R -D -F -J
    scp sftp: -P -i -F -o -J
    rsync: -e --exclude --include
    curl: -o -H -X -d -u -b -A -e -F -T -x -m --retry --connect-timeout
    wget: -O -P -U -o -T -i
    grep egrep fgrep zgrep rgrep: -e -A -B -C -m -f
    cut: -d -f -c -b
    sort: -k -t -o
    mount: -t -o -L -U
    umount: -t
    mkfs: -t
    mkfs.ext4 mke2fs tune2fs: -L -m -b
    kill pkill killall: -s -u
    pgrep: -u -U -P -t
    ps: -p -u -U -C -o -O -t -q --sort --ppid
    top: -d -n -o -p -u
    htop: -d -s -u -p
    journalctl: -u -n -p -t -g -S -U -o
    systemctl: -n -p --type --state
    logger: -t -p --file
    systemd-cat: -t -p
    lsblk: -o
    lsof: -p -u -c -d
    df: -t -x
    du: -d
    ping: -c -I -i -W -s
    traceroute: -m -w -q
    mtr: -c
    shasum cksum: -a
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
# With or without a value; the next word is one if it looks so.
VALUES_LIKE: Mapping[tuple[str, str], re.Pattern[str]] = {
    ("journalctl", "-b"): re.compile(r"[-+]?\d+|all|[0-9a-f]{32}"),
    ("lsof", "-i"): re.compile(r"(?!$)[46]?(?:tcp|udp)?(?:@[^\s:]+)?(?::\S+)?", re.IGNORECASE),
    ("lsof", "-s"): re.compile(r"\w+:\S+"),
}


def _spelled(table: str) -> dict[str, dict[str, str]]:
    """Lines of `program program: --long=-l`."""
    rows: dict[str, dict[str, str]] = {}
    for program, pairs in per_program(table).items():
        rows[program] = {long: short for long, _, short in (p.partition("=") for p in pairs)}
    return rows


SPELLINGS_ANYWHERE: Mapping[str, str] = {
    "--recursive": "-r", "--force": "-f", "--verbose": "-v", "--all": "-a", "--yes": "-y",
    "--assume-yes": "-y", "--assumeyes": "-y", "--human-readable": "-h", "--ignore-case": "-i",
    "--parents": "-p", "--follow": "-f",
}  # fmt: skip
SPELLINGS: Mapping[str, Mapping[str, str]] = _spelled("""
    rm cp: -R=-r
    chmod chown chgrp ls setfacl: --recursive=-R
    head tail: --lines=-n --bytes=-c
    tar bsdtar: --file=-f --extract=-x --get=-x --create=-c --list=-t --gzip=-z --bzip2=-j --xz=-J
    tar bsdtar: --directory=-C --append=-r --update=-u --diff=-d --compare=-d --to-stdout=-O
    tar bsdtar: --compress=-Z --auto-compress=-a --files-from=-T --exclude-from=-X
    zip: --recurse-paths=-r --move=-m --delete=-d --junk-paths=-j
    uniq: --count=-c --repeated=-d --unique=-u
    diff: --brief=-q --unified=-u --side-by-side=-y
    sort: --unique=-u --key=-k --output=-o --reverse=-r --numeric-sort=-n
    sha1sum sha224sum sha256sum sha384sum sha512sum md5sum b2sum cksum shasum: --check=-c
    shasum cksum: --algorithm=-a
    grep egrep fgrep zgrep rgrep: --invert-match=-v --count=-c --extended-regexp=-E --regexp=-e
    grep egrep fgrep zgrep rgrep: --line-number=-n --word-regexp=-w --files-with-matches=-l
    grep egrep fgrep zgrep rgrep: --files-without-match=-L --fixed-strings=-F --file=-f
    cut: --delimiter=-d --fields=-f --characters=-c --bytes=-b
    curl: --output=-o --remote-name=-O --head=-I --location=-L --silent=-s --header=-H --fail=-f
    curl: --request=-X --data=-d --user=-u --max-time=-m --form=-F --upload-file=-T
    wget: --output-document=-O --directory-prefix=-P --input-file=-i --recursive=-r --mirror=-m
    wget: --server-response=-S
    useradd usermod: --shell=-s --comment=-c --uid=-u --gid=-g --groups=-G --expiredate=-e
    useradd: --create-home=-m --no-create-home=-M --system=-r --home-dir=-d --defaults=-D
    usermod: --append=-a --home=-d --lock=-L --unlock=-U --login=-l --move-home=-m
    userdel: --remove=-r
    groupadd: --gid=-g --system=-r
    chsh: --shell=-s
    passwd: --delete=-d --lock=-l --unlock=-u --status=-S --expire=-e
    gpasswd: --add=-a --delete=-d
    kill: --signal=-s --list=-l --table=-L -n=-s
    pkill: --signal=-s
    killall: --signal=-s --list=-l
    pkill pgrep: --count=-c --inverse=-v --oldest=-o --newest=-n --full=-f --exact=-x --euid=-u
    ps: -A=-e f=--forest k=--sort o=-o O=-O p=-p q=-q t=-t U=-U
    ps: --format=-o --pid=-p --user=-u --User=-U
    fuser: --kill=-k
    who: --boot=-b --runlevel=-r --dead=-d --login=-l
    journalctl: --unit=-u --lines=-n --boot=-b --dmesg=-k --priority=-p --identifier=-t --grep=-g
    journalctl: --since=-S --until=-U --output=-o --follow=-f --reverse=-r
    systemctl: -t=--type --lines=-n --property=-p
    dmesg: --clear=-C --read-clear=-c --console-off=-D --console-on=-E --human=-H
    logger: --tag=-t --priority=-p -f=--file
    systemd-cat: --identifier=-t --priority=-p
    lsblk: --output=-o --nodeps=-d --scsi=-S --fs=-f --paths=-p
    shutdown: --reboot=-r --halt=-H --poweroff=-P
    reboot poweroff halt: --poweroff=-p --wtmp-only=-w
    umount: --read-only=-r --recursive=-R --all-targets=-A --lazy=-l --types=-t
    mount: --types=-t --options=-o --label=-L --uuid=-U
    mkfs: --type=-t
    fdisk parted sfdisk: --list=-l
    df: --inodes=-i --type=-t --print-type=-T
    du: --max-depth=-d --summarize=-s
    free: --human=-h
    ss netstat: --tcp=-t --udp=-u --listening=-l --numeric=-n --summary=-s --statistics=-s
    ss: --processes=-p
    netstat: --programs=-p --program=-p --route=-r
    sysctl: --write=-w
    renice: --priority=-n --pid=-p
    rpm: --erase=-e --query=-q --install=-i --upgrade=-U
    uname: --kernel-release=-r
    modprobe: --remove=-r
    modinfo: --author=-a --description=-d --license=-l --parameters=-p --filename=-n
    apt: --just-print=-s --dry-run=-s --recon=-s --no-act=-s --simulate=-s --download-only=-d
    pacman: --sync=-S --refresh=-y --sysupgrade=-u --remove=-R --query=-Q --upgrade=-U --search=-s
    pacman: --recursive=-s --nosave=-n --downloadonly=-w --print=-p --cascade=-c
""")

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
# To these `./x` is another thing than `x`: a file, not a package, an image, a volume or a text.
DOT_SLASH_COUNTS = names("""
    apt dnf zypper apk pacman snap flatpak pip npm brew docker podman go source .
""")
