package proc

import "os"

// MachineID identifies this machine by something that survives a reboot and that no other machine has:
// the system's own id, or the host name if there is none.
func MachineID() string {
	if id := machineID(); id != "" {
		return id
	}
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return "host " + name
}
