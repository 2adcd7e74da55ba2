//go:build !darwin

package proc

// FormerMachineID returns another id that earlier versions of this program took for the id of the machine, or "" if there is none.
func FormerMachineID() string { return "" }
