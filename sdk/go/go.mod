module github.com/brennhill/gasoline/sdk/go

go 1.21
