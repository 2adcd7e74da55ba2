package house

// unfinished is what is over a bound today. Nothing is ever added, and a line goes when its bound is kept.
var unfinished = []string{}
