"""What is known of programs by name: which there are, and which words are prose beside them.

In: nothing. Out: sets of words.
"""

from __future__ import annotations


def names(listed: str) -> frozenset[str]:
    """Words of a text, as a set."""
    return frozenset(listed.split())


def per_program(table: str) -> dict[str, frozenset[str]]:
    """Lines of `program program: -a -b`."""
    rows: dict[str, frozenset[str]] = {}
    for line in filter(None, map(str.strip, table.splitlines())):
        programs, _, words = line.partition(": ")
        for program in programs.split():
            rows[program] = rows.get(program, frozenset()) | frozenset(words.split())
    return rows


# Programs an administrator types; the programs of a test's own commands are added to them.
KNOWN_PROGRAMS = names("""
    a2disconf a2dismod a2dissite a2enconf a2enmod a2ensite aa-status ab addgroup adduser alias
    ansible ansible-playbook apachectl apk apropos apt apt-cache apt-file apt-get apt-key
    apt-mark add-apt-repository aptitude arch arp arping aureport ausearch auditctl at atq awk
    badblocks base64 basename bash bc blkid bluetoothctl bootctl brctl bridge btrfs bunzip2
    bzip2 cal cat cd certbot cfdisk chage chattr chcon chgrp chkconfig chmod chown chpasswd
    chroot cksum clear cmp column comm composer conntrack coredumpctl cp cpio cron crontab
    cryptsetup csplit curl cut date dd debconf-show debsums declare deluser delgroup depmod df
    dhclient dhcpcd diff dig dirname dmesg dmidecode dmsetup dnf dnf5 docker docker-compose dpkg
    dpkg-query dpkg-reconfigure dracut du dumpe2fs e2fsck e2label echo efibootmgr egrep emacs
    emerge env ethtool exit expand export exportfs fail2ban-client faillock fallocate fdisk
    fgrep file filefrag find findmnt firewall-cmd flatpak fold free fsck fstrim ftp fuser
    fwupdmgr gcc gdb gdisk genfstab getcap getconf getenforce getent getfacl git go gpasswd gpg
    grep groupadd groupdel groupmod groups growpart grub-install grub-mkconfig grub2-install
    grub2-mkconfig gunzip gzip halt hdparm head helm hexdump history host hostname hostnamectl
    htop httpd hwclock hwinfo iconv id ifconfig ifdown ifup iftop init insmod install inxi
    ionice iostat iotop ip iperf3 ipset iptables iptables-restore iptables-save ip6tables iw
    iwconfig iwctl java jobs join journalctl jq kexec kill killall kmod kubectl last lastb
    lastlog ldconfig ldd less ln loadkeys locale locale-gen localectl localedef locate logger
    loginctl logrotate losetup ls lsattr lsb_release lsblk lscpu lshw lsinitrd lsipc lslocks
    lsmem lsmod lsns lsof lspci lsscsi lsusb lvcreate lvdisplay lvextend lvreduce lvremove
    lvresize lvs lynis lz4 lzma mail make man mariadb mc md5sum mdadm microdnf minikube mkdir
    mkfifo mkfs mkfs.btrfs mkfs.ext4 mkfs.fat mkfs.vfat mkfs.xfs mkinitcpio mkswap mktemp
    modinfo modprobe mokutil more mount mountpoint mpstat mtr multipath mv mysql mysqladmin
    mysqldump named-checkconf nano nc ncat ncdu netplan netstat newgrp newusers nft nginx nice
    nl nload nm nmap nmcli nmtui node nohup npm nproc npx nslookup ntpdate ntpq numactl
    nvidia-smi nvme od openssl opkg pacman pacman-key parted partprobe passwd paste patch pdsh
    perf perl pgrep php pidof pidstat ping ping6 pip pip3 pkexec pkg pkill pmap podman portageq
    postconf postfix poweroff ps psql pstree pv pvcreate pvdisplay pvremove pvs pwck pwd python
    python3 quota quotacheck quotaon quotaoff rc-service rc-update read readlink realpath reboot
    redis-cli rename renice reset resize2fs resolvectl restorecon rfkill rm rmdir rmmod route
    rpm rpmbuild rsync runlevel runuser sar scp screen sed semanage semodule sensors
    sensors-detect service sestatus set setcap setenforce setfacl setsebool sfdisk sftp sgdisk
    sha1sum sha256sum sha512sum shred showmount shutdown sleep smartctl smbclient smbpasswd snap
    socat sort source split squashfs ss ssh ssh-add ssh-copy-id ssh-keygen ssh-keyscan sshd
    sshfs stat strace strings stty su sudo sudoedit swapoff swapon sync sysctl systemctl
    systemd-analyze systemd-cgls systemd-cgtop systemd-resolve systemd-run systemd-tmpfiles tac
    tail tar tcpdump tee telinit telnet terraform test testparm time timedatectl timeout tload
    tmux top touch tr tracepath traceroute truncate tshark tune2fs type udevadm ufw ulimit umask
    umount unalias uname uniq unset unshare unxz unzip update-alternatives
    update-ca-certificates update-grub update-initramfs update-locale update-rc.d updatedb
    upower uptime urpmi useradd userdel usermod users vagrant vconfig vgchange vgcreate
    vgdisplay vgextend vgreduce vgremove vgs vi vim vipw virsh visudo vmstat w wall watch wc
    wget whatis whereis which who whoami wipefs wg wg-quick wpa_passphrase wpa_supplicant xargs
    xbps-install xbps-query xbps-remove xfs_growfs xfs_repair xrandr xz yay yes yum
    yum-config-manager zcat zfs zgrep zip zpool zsh zstd zypper a2query aa-complain aa-enforce
    acpi chsh chfn cpupower debootstrap doas dpkg-deb eject fc-cache fc-list invoke-rc.d lpadmin
    lpr lpstat mkinitrd nfsstat paru pdbedit pg_dump pg_ctl pvresize pipx rtcwake sh tree
    uuidgen virt-install xdg-open xfs_info yast zramctl
""")

# Programs whose names are English words or nouns of prose ("with docker", "find the file"):
# inside a sentence such a name alone is no command.
ENGLISH_TOO = names("""
    alias apply arch at ab bash bridge cat clear column composer cron cut date declare dig
    docker emacs env exit expand export file find flatpak fold free ftp git go groups halt head
    helm history host httpd id init install java jobs join kill last less locale locate mail
    make man mariadb minikube more mount mysql nano nginx nice node npm paste patch perf perl
    php ping pip podman postfix python python3 quota read rename reset route rsync screen
    sensors service set sh sleep snap sort source split ssh strings sync sudo tail tee telnet
    terraform test time timeout top touch tree type unset users vagrant vi vim w wall watch
    which who yes zip su squashfs sshd
""")

# A word that a command line does not hold outside quotes: here prose has begun.
PROSE = names("""
    the is are was were be been being will would should can could may might must has have had do
    does did you your we our they it its this that these those which what when where who whose
    how why and then or but so because an if not also once after before while until command
    commands utility tool program package packages lists list's shows displays prints installs
    updates starts enables refreshes followed again instead there here first next finally please
    let us use run using et puis ensuite ou le la les pour avec dans sur afin est qui
""")

# These alone tell a sentence that begins with a program's name from a command line.
SURELY_PROSE = names("""
    the is are was were will would should can could you your we they it its this that these those
    which and then or but because an if when where how et puis
""")
# After a program's name they are prose ("the lspci command"), later they may be arguments.
NAMES_A_PROGRAM = names("command commands utility tool program package packages")

# Words that are prose beside most programs and arguments of a few.
SOMETIMES_PROSE = names("to from on in for with at by of as a into")
TAKES_WORDS = names("""
    ufw ip nft tc route echo printf git logger wall mysql psql mariadb firewall-cmd nmcli at
    semanage virsh zfs zpool awk sed for
""")
# An article elsewhere, an argument of these: `7z a site.zip`, `dig A example.com`.
NEVER_PROSE_BESIDE = per_program("""
    7z 7za 7zz: a
    dig host delv nslookup resolvectl: A a
""")
# These take free text: any word may follow them on a line of their own.
TAKES_ANY_WORD = frozenset({"echo", "printf", "logger", "wall"})

# Words that announce a command inside a sentence.
CUES = names("""
    run running use using execute executing type typing enter entering with command is try issue
    invoke via through call do exécutez exécuter lancez tapez utilisez avec commande
""")

_PACKAGE_VERBS = names("""
    install remove purge update upgrade full-upgrade dist-upgrade autoremove autoclean clean
    search show info list policy reinstall erase check-update makecache groupinstall group
    module provides refresh in rm up ref se dup add del fix depends download changelog repolist
    history
""")
_UNIT_VERBS = names("""
    start stop restart reload enable disable status mask unmask daemon-reload is-active
    is-enabled is-failed list-units list-unit-files list-timers show cat edit kill isolate
    get-default set-default try-restart reload-or-restart reset-failed reboot poweroff
""")
VERBS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        names(
            "apt apt-get aptitude apt-cache dnf dnf5 yum microdnf zypper apk snap flatpak pip pip3 "
            "brew pipx pkg opkg"
        ),
        _PACKAGE_VERBS,
    ),
    "systemctl": _UNIT_VERBS,
    "npm": names("install ci run start test init update uninstall"),
    "git": names("clone pull push add commit status init checkout branch merge fetch log diff"),
    "docker": names(
        "run ps pull push build images exec stop start rm rmi logs compose network volume"
    ),
    "podman": names("run ps pull push build images exec stop start rm rmi logs"),
    "ip": names("a addr address link l route r neigh n rule netns"),
    "ufw": names("enable disable allow deny status reload delete reject limit"),
    "make": frozenset({"install", "clean", "all", "menuconfig"}),
    "nmcli": names("device dev connection con general radio networking"),
    "kubectl": names("get apply describe delete logs exec create"),
    "rc-update": names("add del delete show"),
    **dict.fromkeys(("7z", "7za", "7zz"), names("a x e l t u d")),
}
SERVICE_VERBS = names("start stop restart reload status force-reload")
SERVICE_PROGRAMS = names("service rc-service invoke-rc.d")
INIT_SCRIPT = "/etc/init.d/"
# English words that a number makes a command.
TAKES_A_NUMBER = names("kill init")
