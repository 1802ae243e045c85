package noise

import "slices"

// builtins are rules that are proposed where something kept fits them, and that hide nothing before they are added. Each names a source
// or an address, or the words of the browser itself, which no application writes.
var builtins = []Rule{
	// What stands in a page and is of another program of the user's.
	builtin("extension-scripts", Console, "extension", "scripts of browser extensions", Match{Source: `^(chrome|moz|safari-web)-extension://`}),
	builtin("extension-requests", network, "extension", "files of browser extensions", Match{URL: `^(chrome|moz|safari-web)-extension://`}),
	builtin("react-devtools", Console, "devtools", "React's advice to install its devtools",
		Match{Message: `^%?c?Download the React DevTools for a better development experience`}),
	builtin("vue-devtools", Console, "devtools", "Vue's advice to install its devtools",
		Match{Message: `^Download the Vue Devtools extension for a better development experience`}),
	builtin("apollo-devtools", Console, "devtools", "Apollo's advice to install its devtools",
		Match{Message: `^Download the Apollo DevTools for a better development experience`}),
	builtin("react-router-future", Console, "framework", "React Router's advice on flags of its next version",
		Match{Message: `^⚠️ React Router Future Flag Warning`, Level: "warn"}),
	builtin("vue-development", Console, "framework", "Vue's line that it runs in development", Match{Message: `^You are running (Vue|a development build of Vue)`}),
	builtin("angular-development", Console, "framework", "Angular's line that it runs in development",
		Match{Message: `^Angular is running in (the )?development mode`}),
	builtin("lit-development", Console, "framework", "Lit's line that it runs in development", Match{Message: `^Lit is in dev mode`, Level: "warn"}),

	// Development servers.
	builtin("vite-console", Console, "dev_server", "lines of Vite's client", Match{Message: `^\[vite\] (connect|hot updated|page reload|server connection)`}),
	builtin("webpack-console", Console, "dev_server", "lines of webpack's client", Match{Message: `^\[(HMR|webpack-dev-server)\] `, Level: "info"}),
	builtin("next-fast-refresh", Console, "dev_server", "lines of Next.js' fast refresh", Match{Message: `^\[Fast Refresh\] (rebuilding|done)`}),
	builtin("vite-requests", network, "dev_server", "files of Vite's client", Match{URL: `/@(vite|react-refresh)(/|$)`}),
	builtin("webpack-hot", network, "dev_server", "webpack's hot updates", Match{URL: `\.hot-update\.(js|json)(\?|$)`}),
	builtin("next-hot", network, "dev_server", "Next.js' development requests", Match{URL: `/(_next/webpack-hmr|__nextjs_original-stack-frame)`}),
	builtin("sockjs-info", network, "dev_server", "the development server's own requests", Match{URL: `/sockjs-node/`}),
	builtin("vite-socket", websocket, "dev_server", "Vite's own messages", Match{Message: `^\{"type":"(connected|update|ping|full-reload|custom|prune)"`}),
	builtin("next-socket", websocket, "dev_server", "Next.js' own connection", Match{URL: `/_next/webpack-hmr`}),
	builtin("webpack-socket", websocket, "dev_server", "the development server's own messages",
		Match{Message: `^\{"type":"(hot|liveReload|reconnect|overlay|hash|ok|invalid|still-ok|progress)"`}),
	builtin("sockjs-socket", websocket, "dev_server", "the development server's own connection", Match{URL: `/sockjs-node/`}),

	// What browsers ask for by themselves, and what they say of it.
	builtin("favicon", network, "browser", "an icon that the browser asks for and is not there",
		Match{URL: `/(favicon\.ico|apple-touch-icon[a-z-]*\.png)(\?|$)`, StatusMin: 404, StatusMax: 404}),
	builtin("source-maps", network, "browser", "source maps that are not there", Match{URL: `\.map(\?|$)`, StatusMin: 400, StatusMax: 499}),
	builtin("devtools-json", network, "browser", "a file that the browser's developer tools ask for",
		Match{URL: `/\.well-known/appspecific/com\.chrome\.devtools\.json$`}),
	builtin("preflights", network, "browser", "preflights that were answered", Match{Method: "OPTIONS", StatusMin: 200, StatusMax: 299}),
	builtin("resize-observer", Console, "browser", "the browser's word that a layout took two frames",
		Match{Message: `ResizeObserver loop (limit exceeded|completed with undelivered notifications)`}),

	// Measuring and advertising.
	builtin("google-analytics", network, "analytics", "Google Analytics", host(`(www|region\d|ssl)\.google-analytics\.com`)),
	builtin("google-tag-manager", network, "analytics", "Google Tag Manager", host(`www\.googletagmanager\.com`)),
	builtin("google-ads", network, "advertising", "Google's advertising",
		host(`([a-z0-9-]+\.)?(doubleclick\.net|googlesyndication\.com|googleadservices\.com)`)),
	builtin("facebook-pixel", network, "advertising", "Facebook's pixel", Match{URL: `^https://(www\.facebook\.com/tr|connect\.facebook\.net)/`}),
	builtin("linkedin-insight", network, "advertising", "LinkedIn's tag", host(`(px\.ads\.linkedin\.com|snap\.licdn\.com)`)),
	builtin("tiktok-pixel", network, "advertising", "TikTok's pixel", host(`analytics\.tiktok\.com`)),
	builtin("bing-ads", network, "advertising", "Microsoft's advertising", host(`bat\.bing\.(com|net)`)),
	builtin("hotjar", network, "analytics", "Hotjar", host(`([a-z0-9-]+\.)?hotjar\.(com|io)`)),
	builtin("clarity", network, "analytics", "Microsoft Clarity", host(`([a-z0-9-]+\.)?clarity\.ms`)),
	builtin("segment", network, "analytics", "Segment", host(`(api|cdn)\.segment\.(io|com)`)),
	builtin("mixpanel", network, "analytics", "Mixpanel", host(`(api|api-js|cdn)\.(mixpanel\.com|mxpnl\.com)`)),
	builtin("amplitude", network, "analytics", "Amplitude", host(`(api|api2|cdn)\.amplitude\.com`)),
	builtin("fullstory", network, "analytics", "FullStory", host(`(edge|rs)\.fullstory\.com`)),
	builtin("sentry-envelopes", network, "monitoring", "reports to Sentry", host(`[a-z0-9.-]+\.ingest\.([a-z]+\.)?sentry\.io`)),
	builtin("datadog-intake", network, "monitoring", "reports to Datadog", host(`[a-z0-9.-]*browser-intake[a-z0-9-]*\.(datadoghq\.(com|eu)|ddog-gov\.com)`)),
	builtin("new-relic", network, "monitoring", "reports to New Relic", host(`(bam|bam-cell)\.(nr-data\.net|eu01\.nr-data\.net)`)),
	builtin("cookie-banners", network, "consent", "consent banners", host(`(cdn\.cookielaw\.org|consent\.cookiebot\.com|geolocation\.onetrust\.com)`)),
}

func builtin(id, category, classification, reason string, m Match) Rule {
	return Rule{ID: id, Category: category, Classification: classification, Reason: reason, Match: m}
}

func host(name string) Match { return Match{URL: `^https?://` + name + `[/:]`} }

// Builtin returns the rule that is proposed under this id.
func Builtin(id string) (Rule, bool) {
	i := slices.IndexFunc(builtins, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return builtins[i], true
}
