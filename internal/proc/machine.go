package proc

import "os"

// MachineID names this machine by what a reboot keeps and another machine does not have:
// the system's own id, or the host name where it has none.
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
