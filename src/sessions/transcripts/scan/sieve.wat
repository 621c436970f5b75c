;; Searches bytes 16 at a time. `sieve.ts` fills the tables and verifies each candidate.
;; After a change: node scripts/wat.mjs
;;
;; Memory: six tables of 16 bytes, a vector, a byte, and from 128 on the bytes to search. Each text
;; belongs to one of eight groups, one bit each. For each of its first three bytes there are two
;; tables: groups by the low four bits of the byte, and groups by the high four. Where all six have a
;; group in common, one of its texts may begin.
(module
  (memory (export "memory") 130)

  ;; The first candidate in a vector; byte 112 gets its groups.
  (func $found (param $at i32) (param $left v128) (result i32)
    (local $place i32)
    (v128.store (i32.const 96) (local.get $left))
    (local.set $place
      (i32.ctz (i8x16.bitmask (i8x16.ne (local.get $left) (v128.const i64x2 0 0)))))
    (i32.store8 (i32.const 112) (i32.load8_u offset=96 (local.get $place)))
    ;; The vectors are aligned to the third byte of a text.
    (i32.sub (i32.add (local.get $at) (local.get $place)) (i32.const 2)))

  ;; The next position where a text may begin; `to` or more if there is none.
  (func (export "find") (param $at i32) (param $to i32) (result i32)
    (local $low0 v128) (local $high0 v128)
    (local $low1 v128) (local $high1 v128)
    (local $low2 v128) (local $high2 v128)
    (local $nibble v128) (local $low v128) (local $high v128)
    ;; Matches of the first and second bytes, of the current vector and of the previous one.
    (local $a0 v128) (local $a1 v128) (local $b0 v128) (local $b1 v128)
    (local $leftA v128) (local $leftB v128)
    (local.set $low0 (v128.load (i32.const 0)))
    (local.set $high0 (v128.load (i32.const 16)))
    (local.set $low1 (v128.load (i32.const 32)))
    (local.set $high1 (v128.load (i32.const 48)))
    (local.set $low2 (v128.load (i32.const 64)))
    (local.set $high2 (v128.load (i32.const 80)))
    (local.set $nibble (i8x16.splat (i32.const 15)))
    (loop $next
      (local.set $low (v128.load (local.get $at)))
      (local.set $high
        (v128.and (i16x8.shr_u (local.get $low) (i32.const 4)) (local.get $nibble)))
      (local.set $low (v128.and (local.get $low) (local.get $nibble)))
      (local.set $a0
        (v128.and
          (i8x16.swizzle (local.get $low0) (local.get $low))
          (i8x16.swizzle (local.get $high0) (local.get $high))))
      (local.set $a1
        (v128.and
          (i8x16.swizzle (local.get $low1) (local.get $low))
          (i8x16.swizzle (local.get $high1) (local.get $high))))
      (local.set $leftA
        (v128.and
          (v128.and
            (i8x16.swizzle (local.get $low2) (local.get $low))
            (i8x16.swizzle (local.get $high2) (local.get $high)))
          (v128.and
            (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
              (local.get $b0) (local.get $a0))
            (i8x16.shuffle 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
              (local.get $b1) (local.get $a1)))))

      (local.set $low (v128.load offset=16 (local.get $at)))
      (local.set $high
        (v128.and (i16x8.shr_u (local.get $low) (i32.const 4)) (local.get $nibble)))
      (local.set $low (v128.and (local.get $low) (local.get $nibble)))
      (local.set $b0
        (v128.and
          (i8x16.swizzle (local.get $low0) (local.get $low))
          (i8x16.swizzle (local.get $high0) (local.get $high))))
      (local.set $b1
        (v128.and
          (i8x16.swizzle (local.get $low1) (local.get $low))
          (i8x16.swizzle (local.get $high1) (local.get $high))))
      (local.set $leftB
        (v128.and
          (v128.and
            (i8x16.swizzle (local.get $low2) (local.get $low))
            (i8x16.swizzle (local.get $high2) (local.get $high)))
          (v128.and
            (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
              (local.get $a0) (local.get $b0))
            (i8x16.shuffle 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
              (local.get $a1) (local.get $b1)))))

      (if (v128.any_true (v128.or (local.get $leftA) (local.get $leftB)))
        (then
          (if (v128.any_true (local.get $leftA))
            (then (return (call $found (local.get $at) (local.get $leftA)))))
          (return
            (call $found (i32.add (local.get $at) (i32.const 16)) (local.get $leftB)))))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      ;; A text that begins just before `to` has its third byte after it.
      (br_if $next (i32.lt_u (local.get $at) (i32.add (local.get $to) (i32.const 2)))))
    (local.get $to))

  ;; Counts line feeds.
  (func (export "lines") (param $at i32) (param $to i32) (result i32)
    (local $count i32) (local $end i32) (local $feed v128) (local $sum v128)
    (local.set $feed (i8x16.splat (i32.const 10)))
    (block $short
      (loop $more
        ;; A byte of the sum counts to at most 255.
        (local.set $end (i32.and (i32.sub (local.get $to) (local.get $at)) (i32.const -32)))
        (if (i32.gt_u (local.get $end) (i32.const 4064))
          (then (local.set $end (i32.const 4064))))
        (br_if $short (i32.eqz (local.get $end)))
        (local.set $end (i32.add (local.get $at) (local.get $end)))
        (local.set $sum (v128.const i64x2 0 0))
        (loop $next
          (local.set $sum
            (i8x16.sub (local.get $sum)
              (i8x16.eq (v128.load (local.get $at)) (local.get $feed))))
          (local.set $sum
            (i8x16.sub (local.get $sum)
              (i8x16.eq (v128.load offset=16 (local.get $at)) (local.get $feed))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
        (local.set $sum
          (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $sum))))
        (local.set $count
          (i32.add
            (local.get $count)
            (i32.add
              (i32.add
                (i32x4.extract_lane 0 (local.get $sum))
                (i32x4.extract_lane 1 (local.get $sum)))
              (i32.add
                (i32x4.extract_lane 2 (local.get $sum))
                (i32x4.extract_lane 3 (local.get $sum))))))
        (br $more)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $count
          (i32.add (local.get $count)
            (i32.eq (i32.load8_u (local.get $at)) (i32.const 10))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (local.get $count)))
