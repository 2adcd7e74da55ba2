package conflicts_test

import "flag"

// Ordinary test runs draw the same examples each time, so that only a change can make them fail;
// -rapid.seed and more -rapid.checks look further.
func init() { _ = flag.Set("rapid.seed", "2030") }
