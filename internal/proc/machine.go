package proc

import "os"

// MachineID returns an id of this machine that survives a restart. It is the system's own id, or the host name if the system has no id.
// It is empty if neither is known.
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
