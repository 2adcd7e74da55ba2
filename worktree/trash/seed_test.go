package trash

import "flag"

// Everyday tests use the same random examples each time, so that only a change of the code can make them fail. Use -rapid.seed and more
// -rapid.checks to search further.
func init() { _ = flag.Set("rapid.seed", "2030") }
