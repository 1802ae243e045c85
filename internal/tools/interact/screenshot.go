package interact

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "screenshot", Doc: "Picture of the tab, the full page or one element, as observe screenshot makes it; save_to writes it to a file in the project.",
	Aliases: []string{"take_screenshot"}, Needs: looks, Wait: 20 * time.Second, Example: `{"full_page":true}`,
	Errors: append([]problem.Code{problem.PathNotAllowed, problem.Conflict}, drive.ScreenshotErrors...),
}, func(ctx context.Context, env Env, p drive.KeptParams) (*drive.Screenshot, error) {
	return drive.ShootTo(ctx, env.Drive, env.Call, env.places(), p)
})
