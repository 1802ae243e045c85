module github.com/brennhill/gasoline/examples

go 1.26
