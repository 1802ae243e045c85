package analyze

// LooksLikeAct reports whether a link looks like something that acts when it is loaded.
var LooksLikeAct = looksLikeAct
