package proc

import "golang.org/x/sys/windows"

// IsLocal reports whether a path is certainly on a disk of this machine.
func IsLocal(path string) bool {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	volume := make([]uint16, len(path)+windows.MAX_PATH)
	if windows.GetVolumePathName(name, &volume[0], uint32(len(volume))) != nil {
		return false
	}
	kind := windows.GetDriveType(&volume[0])
	return kind == windows.DRIVE_FIXED || kind == windows.DRIVE_RAMDISK
}
