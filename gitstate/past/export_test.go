package past

// MergeDisjoint is mergeDisjoint, for tests that compare it with git.
var MergeDisjoint = mergeDisjoint
