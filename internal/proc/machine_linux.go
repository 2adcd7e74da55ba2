package proc

import (
	"os"
	"strings"
)

// machineFiles lists the files that hold the permanent id of an installed system.
var machineFiles = []string{"/etc/machine-id", "/var/lib/dbus/machine-id"}

func machineID() string {
	for _, path := range machineFiles {
		if text, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(text)) != "" {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}
