package proc

import "os"

// MachineID returns an id of this machine that survives a restart and that no other machine has.
// It is the system's own id, or the host name if the system has no id.
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
