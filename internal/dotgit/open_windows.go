package dotgit

// NoFollow has no effect here: symbolic links in the place of files are rare and need a special privilege.
const NoFollow = 0
