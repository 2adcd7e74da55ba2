package proc

import (
	"slices"

	"golang.org/x/sys/unix"
)

// localTypes lists file systems on the disks or in the memory of one machine. All others may be shared with other machines: network file
// systems, folders of a host that a virtual machine sees, and those that a program provides (FUSE).
var localTypes = []uint32{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.BCACHEFS_SUPER_MAGIC, zfsMagic, unix.NILFS_SUPER_MAGIC,
	unix.REISERFS_SUPER_MAGIC, jfsMagic, unix.EXFAT_SUPER_MAGIC, unix.MSDOS_SUPER_MAGIC, ntfsMagic, unix.ECRYPTFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.RAMFS_MAGIC,
	unix.OVERLAYFS_SUPER_MAGIC,
}

// These numbers are missing in the package unix.
const (
	zfsMagic  = 0x2fc12fc1
	jfsMagic  = 0x3153464a
	ntfsMagic = 0x7366746e
)

// IsLocal reports whether a path is certainly on a file system that only this machine uses.
func IsLocal(path string) bool {
	var fs unix.Statfs_t
	_, err := retryInterrupted(func() (int, error) { return 0, unix.Statfs(path, &fs) })
	return err == nil && slices.Contains(localTypes, uint32(fs.Type)) // the field is signed on some processors
}
