package proc

import "testing"

// A file system that another machine may share, or of a kind that is not known, does not count as local.
func TestIsLocal(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"/dev/shm": true, t.TempDir(): true, "/proc": false, "/no/such": false} {
		if got := IsLocal(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
