package proc

import (
	"encoding/hex"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func machineID() string {
	var id [16]byte
	patience := unix.Timespec{Sec: 1} // early after the start of the system, the id may not be known yet
	_, _, fault := syscall.Syscall(syscall.SYS_GETHOSTUUID, uintptr(unsafe.Pointer(&id)), uintptr(unsafe.Pointer(&patience)), 0)
	if fault != 0 || id == [16]byte{} {
		return FormerMachineID()
	}
	return hex.EncodeToString(id[:])
}

// FormerMachineID returns what earlier versions of this program took for the id of the machine. It is the id of the kernel, which changes
// whenever macOS is updated.
func FormerMachineID() string {
	id, err := unix.Sysctl("kern.uuid")
	if err != nil {
		return ""
	}
	return id
}
