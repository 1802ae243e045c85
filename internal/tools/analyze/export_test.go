package analyze

// LooksLikeAct reports whether a path with its query looks like something that acts when it is loaded.
func LooksLikeAct(path string) bool { return actLike.MatchString(path) }
