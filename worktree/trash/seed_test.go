package trash

import "flag"

// Everyday tests draw the same examples each time, so that a change alone can make them fail;
// -rapid.seed and more -rapid.checks look further.
func init() { _ = flag.Set("rapid.seed", "2030") }
