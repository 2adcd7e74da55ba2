package gittest

import "testing"

// Equal reports a test failure if got differs from want.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %#v\nwant %#v", what, got, want)
	}
}

// NoError ends the test if err is not nil.
func NoError(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
