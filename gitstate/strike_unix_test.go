//go:build unix

package gitstate

import "syscall"

func strike(pids []int) error {
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, pid := range pids {
			if err := syscall.Kill(pid, signal); err != nil {
				return err
			}
		}
	}
	return nil
}
