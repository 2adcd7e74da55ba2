package proc

import "golang.org/x/sys/unix"

func machineID() string {
	id, err := unix.Sysctl("kern.uuid")
	if err != nil {
		return ""
	}
	return id
}
