// Package man holds the manual, so that the program can put it in place where an installation lacks it.
package man

import _ "embed"

// Page is git-resume(1).
//
//go:embed git-resume.1
var Page []byte
