package gitstate

import "os"

func strike(pids []int) error {
	for _, pid := range pids {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
