package interact

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "screenshot", Doc: "Picture of the tab, the full page or one element, as observe screenshot makes it.",
	Aliases: []string{"take_screenshot"}, Needs: looks, Wait: 20 * time.Second, Example: `{"full_page":true}`,
	Errors: drive.ScreenshotErrors,
}, func(ctx context.Context, env Env, p drive.ScreenshotParams) (*drive.Screenshot, error) {
	return drive.Shoot(ctx, env.Drive, env.Call, env.places(), p)
})
