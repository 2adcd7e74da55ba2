package dotgit

import "errors"

// NoFollow has no effect on Windows, where symbolic links are rare and need a special privilege.
const NoFollow = 0

// Touch always returns an error on Windows. It is only needed to write an object without git, and on Windows we let git write all objects.
func Touch(string) error { return errors.ErrUnsupported }
