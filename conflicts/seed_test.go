package conflicts_test

import "flag"

// Use a fixed seed, so that an ordinary test run can fail only because of a change in the code.
// To test more examples, set -rapid.seed and -rapid.checks.
func init() { _ = flag.Set("rapid.seed", "2030") }
