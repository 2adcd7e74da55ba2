package trash

import "flag"

// Everyday tests use the same random examples each time, so that they fail only if the code has changed. Use -rapid.seed and -rapid.checks
// to try other examples.
func init() { _ = flag.Set("rapid.seed", "2030") }
