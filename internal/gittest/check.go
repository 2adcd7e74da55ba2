package gittest

import "testing"

// Equal fails a test that got something else than it wants.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %#v\nwant %#v", what, got, want)
	}
}

// NoError ends a test at a fault.
func NoError(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
