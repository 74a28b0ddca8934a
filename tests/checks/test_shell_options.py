"""Two spellings of one command are the same; an option that makes it another is not overlooked."""

from __future__ import annotations

import pytest

from assay.checks.shell.meaning import arguments_of
from assay.checks.shell.programs import CHANGING, HARMLESS, HARMLESS_VALUES, SPELLINGS
from assay.checks.shell.syntax import parse
from tests.checks.test_shell import best_of, marked

SAME = """
    chmod +x backup.sh = chmod +x ./backup.sh
    rm -rf build = rm -rf ./build
    rm -rf build = rm -rf ./build/
    cp -r src src-copy = cp -r ./src ./src-copy
    sed -i 's/foo/bar/g' config.txt = sed -i 's/foo/bar/g' ./config.txt
    find src -name x = find ./src -name x
    find . -name x = find ./ -name x
    tar -czf docs.tar.gz docs/ = tar -czf docs.tar.gz docs/.
    tar -xzf release.tar.gz = tar xvfz release.tar.gz
    tar -czf docs.tar.gz docs = tar cvfz docs.tar.gz docs
    tar -xf app.tar.xz -C /opt = tar xfC app.tar.xz /opt
    tar -xf a.tgz = tar -xzf a.tgz
    tar -czf docs.tar.gz docs = tar -caf docs.tar.gz docs
    adduser bob = adduser --disabled-password --gecos "" bob
    grep -c '' words.txt = grep -c "" words.txt
    journalctl -u ssh.service = journalctl --unit ssh.service
    useradd -m bob = useradd --create-home --shell /bin/bash bob
    curl -o f https://example.com/f = curl --output f https://example.com/f
    shasum -a 256 image.iso = shasum --algorithm 256 image.iso
    lsblk -o NAME,UUID = lsblk --output NAME,UUID
    usermod -s /bin/zsh frank = usermod --shell=/bin/zsh frank
    usermod -aG docker alice = usermod --append --groups docker alice
    ps aux = ps faux
    ps aux = ps auwx
    ps aux = ps auxwwf
    ps aux = ps -aux
    ps ax = ps axo pid,comm
    ps -e = ps -eo pid,comm
    ps aux = ps aux --sort -%cpu
    logger hi = logger -t backup -p user.info hi
    systemd-cat echo hi = systemd-cat -t backup echo hi
    lsblk = lsblk -o NAME,SIZE,TYPE,MOUNTPOINT
    top = top -d 1 -o %CPU
    htop = htop -d 10 -s PERCENT_CPU
    mtr -r example.com = mtr -rwc 10 example.com
    traceroute example.com = traceroute -m 20 -w 2 example.com
    zip -r site.zip site = zip -r9 site.zip site
    zip -r site.zip site = zip -9 -r site.zip site
    ls -a = ls -1a
    ip route = ip -4 route
    ss -tln = ss -4tln
    ping -c 4 example.com = ping -6 -c 4 example.com
    traceroute example.com = traceroute -4 example.com
    kill 4321 = kill -TERM 4321
    kill 4321 = kill -s 15 4321
    kill -s TERM 4321 = kill 4321
    pkill firefox = pkill -SIGTERM firefox
    killall firefox = killall --signal TERM firefox
    journalctl -b = journalctl --boot=0
    journalctl -b = journalctl -b0
    journalctl -b = journalctl -b -0
    journalctl -b 0 = journalctl -xb
    systemctl --type=service = systemctl -t service
    systemctl --state=running = systemctl --state=running --all
    ss -tl = ss --tcp --listening
    netstat -tl = netstat --tcp --listening --numeric
    rpm -e vim = rpm --erase vim
    chsh -s /bin/zsh frank = chsh frank -s /bin/zsh
    lsof -iTCP -sTCP:LISTEN = lsof -i TCP -s TCP:LISTEN
    lsof -i TCP:8080 = lsof -i tcp:8080
    lsof -i -P -n = lsof -Pni
    grep -r TODO src = grep -rnw src -e TODO
    awk '{print $1}' f = awk '{ print $1 }' f
    awk -F: '{print $1}' f = awk -F ':' '{ print $1 }' f
    awk 'END {print NR}' f = awk 'END{ print NR }' f
    systemctl disable cups = update-rc.d cups disable
    zypper search --search-descriptions x = zypper se -d x
    hostnamectl set-hostname web01 = hostnamectl set-hostname web01 --static
"""

ANOTHER = """
    backup.sh = ./backup.sh
    apt install x.deb = apt install ./x.deb
    docker run -v data:/d x = docker run -v ./data:/d x
    find . -path ./build = find . -path build
    tar -xzf release.tar.gz = tar -xvfz release.tar.gz
    tar -czf docs.tar.gz docs = tar -cf docs.tar.gz docs
    tar -cf b.tar d = tar -czf b.tar d
    tar -xf app.tar.xz = tar -xzf app.tar.xz
    tar -tf backup.tar = tar -tzf backup.tar
    tar -xf a.tar.gz = tar -xf a.tar.gz --to-stdout
    tar -tf a.tar = tar --delete -tf a.tar
    sed -i 's/foo/bar/g' config.txt = sed -i '' 's/foo/bar/g' config.txt
    grep -c '' words.txt = grep -c words.txt
    rm / = rm ''
    ps -u root = ps u root
    gzip -9 x = gzip x
    ip addr = ip -6 addr
    lsblk = lsblk -o UUID
    kill 4321 = kill -9 4321
    kill 4321 = kill -l 4321
    killall firefox = killall -l firefox
    pkill firefox = pkill -n firefox
    pgrep nginx = pgrep -c nginx
    pgrep nginx = pgrep --oldest nginx
    journalctl -b = journalctl -b -1
    journalctl -b = journalctl -b -k
    journalctl = journalctl --list-boots
    journalctl = journalctl --disk-usage
    shutdown now = shutdown --reboot now
    shutdown now = shutdown --show now
    reboot = reboot -p
    reboot = reboot --wtmp-only
    poweroff = poweroff --reboot
    hostnamectl = hostnamectl --static
    hostnamectl set-hostname web01 = hostnamectl --transient set-hostname web01
    fuser 8080/tcp = fuser -k 8080/tcp
    passwd erin = passwd --delete erin
    passwd erin = passwd --status erin
    unzip photos.zip = unzip -l photos.zip
    unzip photos.zip = unzip -j photos.zip
    sort names | uniq = sort names | uniq -c
    sha256sum image.iso = sha256sum --check image.iso
    wget https://example.com/f = wget --spider https://example.com/f
    wget https://example.com/f = wget -i https://example.com/f
    curl -O https://example.com/f = curl -IO https://example.com/f
    curl -I https://example.com/f = curl -I -O https://example.com/f
    mkfs.ext4 /dev/sdc1 = mkfs.ext4 -n /dev/sdc1
    adduser bob = adduser --system bob
    useradd -m bob = useradd -m --system bob
    useradd bob = useradd --no-create-home bob
    lsblk = lsblk --nodeps
    who = who --boot
    dmesg = dmesg --read-clear
    modinfo ext4 = modinfo --author ext4
    zip -r site.zip site = zip -rm site.zip site
    umount /media/usb = umount -R /media/usb
    fsck /dev/sdd1 = fsck -A /dev/sdd1
    logger hi = logger -f hi
    ssh alice@server = ssh -N alice@server
    diff a b = diff --brief a b
    dnf upgrade = dnf upgrade --security
    pacman -Rs vim = pacman -Rsc vim
    uptime = uptime -V
    systemctl list-units --type=service = systemctl list-units --type=service --all
"""


def pairs(table: str) -> list[tuple[str, str]]:
    rows = [line.strip().partition(" = ") for line in table.strip().splitlines()]
    return [(accepted, answer) for accepted, _, answer in rows]


@pytest.mark.parametrize(("accepted", "answer"), pairs(SAME))
def test_another_spelling_is_the_same_command(accepted: str, answer: str) -> None:
    assert best_of([accepted], answer, match="command").value == 1.0
    assert marked([accepted], f"```\n{answer}\n```").value == 1.0


@pytest.mark.parametrize(("accepted", "answer"), pairs(ANOTHER))
def test_an_option_that_makes_it_another_command_is_seen(accepted: str, answer: str) -> None:
    assert best_of([accepted], answer, match="command").value == 0.0
    assert marked([accepted], f"```\n{answer}\n```").value == 0.0
    assert best_of([answer], answer, match="command").value == 1.0


@pytest.mark.parametrize(
    ("source", "options", "operands"),
    [
        ("tar xvzf a.tar.gz -C ./opt", {"-x", "-f=a.tar.gz", "-C=opt"}, []),
        ("tar cfC a.tar /srv www", {"-c", "-f=a.tar", "-C=/srv"}, ["www"]),
        ("ps faux", {"a", "u", "x", "--forest"}, []),
        ("ps axo pid", {"a", "x", "-o=pid"}, []),
        ("grep -rn src -e TODO", {"-r", "-n"}, ["TODO", "src"]),
        ("grep -e a -e b f", {"-e=a", "-e=b"}, ["f"]),
        ("lsof -nPi", {"-n", "-P", "-i"}, []),
        ("lsof -i file", {"-i"}, ["file"]),
        ("journalctl -b -u ssh", {"-b", "-u=ssh"}, []),
        ("adduser --gecos '' bob", {"--gecos="}, ["bob"]),
        ("cp -- ./-x ./y", set(), ["./-x", "y"]),
    ],
)
def test_words_are_told_apart_into_options_and_operands(
    source: str, options: set[str], operands: list[str]
) -> None:
    words = parse(source).commands[0].words
    assert arguments_of(words[0], words[1:]) == (options, operands)


def test_the_tables_are_written_in_the_spelling_that_is_compared() -> None:
    for table in (CHANGING, HARMLESS_VALUES):
        for program, options in table.items():
            respelled = SPELLINGS.get(program, {}).keys() & options
            assert not respelled, (program, respelled)


def test_no_option_is_both_harmless_and_changing() -> None:
    for program, options in CHANGING.items():
        assert not options & HARMLESS.get(program, frozenset()), program
