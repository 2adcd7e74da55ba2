package house

// unfinished lists the limits that are exceeded today.
// New entries are not allowed, and an entry must be removed when its limit is no longer exceeded.
var unfinished = []string{}
