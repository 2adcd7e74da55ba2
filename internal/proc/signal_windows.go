package proc

import "os"

// signalOf always returns "", because signals do not end processes on Windows.
func signalOf(*os.ProcessState) string { return "" }

func askToEnd(p *os.Process) error { return p.Kill() }
