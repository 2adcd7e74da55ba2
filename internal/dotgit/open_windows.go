package dotgit

// NoFollow has no effect on Windows, where symbolic links instead of files are rare and need a special privilege.
const NoFollow = 0
