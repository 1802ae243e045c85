package observe

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "screenshot",
	Doc: "Picture of the tab, of the full page, or of one element. It is in the answer; interact screenshot also writes it " +
		"to a file.",
	Aliases: []string{"take_screenshot", "image"},
	Needs:   catalog.Extension,
	Wait:    20 * time.Second,
	Example: `{"selector":"#cart","max_width":800}`,
	Errors:  drive.ScreenshotErrors,
}, func(ctx context.Context, env Env, p drive.ScreenshotParams) (*drive.Screenshot, error) {
	return drive.Shoot(ctx, env.Drive, env.Call, p)
})
