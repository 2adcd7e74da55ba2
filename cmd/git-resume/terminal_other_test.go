//go:build !linux

package main

import "os"

// atTerminal is not available on this system. Scripts that need it are skipped.
func atTerminal() { os.Exit(99) }
