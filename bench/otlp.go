package main

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"time"
)

// otlp measures what OpenTelemetry SDKs may send: logs and spans in protobuf, over HTTP, on one connection, from
// eight instances of a service, since each has a limit of its own.
func (b *bench) otlp() error {
	const records, requests = 200, 2000
	for _, signal := range []string{"logs", "traces"} {
		m, err := b.daemon()
		if err != nil {
			return err
		}
		took, count, size, err := func() (took time.Duration, count, size int, err error) {
			defer m.stop()
			pid, err := m.pid()
			if err != nil {
				return 0, 0, 0, err
			}
			header := http.Header{"Content-Type": {"application/x-protobuf"}}
			// They are made before: who makes them shares the processor's caches with the daemon.
			var bodies [requests][]byte
			for n := range bodies {
				bodies[n] = exportRequest(signal, n, records)
			}
			before, err := cpu(pid)
			if err != nil {
				return 0, 0, 0, err
			}
			for _, body := range bodies {
				answer, err := m.ask("POST", "/v1/"+signal, body, header)
				if err != nil {
					return 0, 0, 0, err
				}
				if len(answer) > 0 {
					return 0, 0, 0, fmt.Errorf("not all of %d %s were taken: %q", records, signal, answer)
				}
				count += records
				size = len(body) / records
			}
			after, err := cpu(pid)
			return after - before, count, size, err
		}()
		if err != nil {
			return err
		}
		perSecond := float64(count) / took.Seconds()
		b.table.add(row{
			id:    "B20",
			what:  fmt.Sprintf("OTLP in protobuf, POST /v1/%s, %d × %d bytes a request", signal, records, size),
			value: perSecond, unit: "records/s/core", budget: "≥ 200,000", met: perSecond >= 200_000,
		})
	}
	return nil
}

// exportRequest returns request number n with records that differ from those of all others: eight attributes each,
// as a web service writes them.
func exportRequest(signal string, n, records int) []byte {
	var scope []byte
	for i := range records {
		at := uint64(time.Now().UnixNano())
		var trace, span [16]byte
		binary.BigEndian.PutUint64(trace[8:], uint64(n*records+i)/10+1)
		binary.BigEndian.PutUint64(span[8:], uint64(n*records+i)+1)
		var attributes [][]byte
		for _, a := range [][2]string{
			{"http.request.method", "GET"}, {"http.route", "/api/items/:id"}, {"url.path", fmt.Sprint("/api/items/", i)},
			{"client.address", "127.0.0.1"}, {"user_agent.original", "Mozilla/5.0 (X11; Linux x86_64)"},
			{"enduser.id", fmt.Sprint("u-", i%100)},
		} {
			attributes = append(attributes, pair(a[0], bytesField(nil, 1, []byte(a[1]))))
		}
		attributes = append(attributes, pair("http.response.status_code", numberField(nil, 3, 200)),
			pair("thread.id", numberField(nil, 3, uint64(i%16))))
		var r []byte
		list := uint64(9)
		if signal == "logs" {
			list = 6
			r = numberField(fixedField(r, 1, at), 2, 9)
			r = bytesField(r, 3, []byte("INFO"))
			r = bytesField(r, 5, bytesField(nil, 1, fmt.Appendf(nil, "handled request %d in 12 ms", i)))
			r = bytesField(bytesField(r, 9, trace[:]), 10, span[8:])
		} else {
			r = bytesField(bytesField(r, 1, trace[:]), 2, span[8:])
			r = numberField(bytesField(r, 5, []byte("GET /api/items/:id")), 6, 2)
			r = fixedField(fixedField(r, 7, at), 8, at+12_000_000)
		}
		for _, a := range attributes {
			r = bytesField(r, list, a)
		}
		scope = bytesField(scope, 2, r)
	}
	service := pair("service.name", bytesField(nil, 1, []byte("shop-api")))
	instance := pair("service.instance.id", bytesField(nil, 1, []byte{byte('0' + n%8)}))
	of := bytesField(nil, 1, bytesField(bytesField(nil, 1, service), 1, instance))
	return bytesField(nil, 1, bytesField(of, 2, scope))
}

func pair(key string, value []byte) []byte {
	return bytesField(bytesField(nil, 1, []byte(key)), 2, value)
}

func bytesField(dst []byte, number uint64, data []byte) []byte {
	dst = binary.AppendUvarint(dst, number<<3|2)
	return append(binary.AppendUvarint(dst, uint64(len(data))), data...)
}

func numberField(dst []byte, number, n uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, number<<3), n)
}

func fixedField(dst []byte, number, n uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(dst, number<<3|1), n)
}
