package dotgit

// NoFollow: links in the place of files are rare here, and need a right of their own.
const NoFollow = 0
