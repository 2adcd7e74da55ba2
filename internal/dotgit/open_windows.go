package dotgit

import "errors"

// NoFollow has no effect on Windows, where symbolic links instead of files are rare and need a special privilege.
const NoFollow = 0

// Touch is not needed on Windows, where git writes all objects.
func Touch(string) error { return errors.ErrUnsupported }
