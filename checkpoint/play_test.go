package checkpoint

import "fmt"

// play is the part of a second process in a test.
func play(part string, args []string) int {
	fmt.Println("unknown part", part, args)
	return 2
}
