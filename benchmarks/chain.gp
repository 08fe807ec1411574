# SPDX-License-Identifier: Apache-2.0
# The figure of the README, in the root of the repository:
#   build-release/bin/bench_peers chain >chain.csv && gnuplot benchmarks/chain.gp
set datafile separator ","
set terminal svg size 760,380 font "sans,12" background "white"
set output "docs/images/chain.svg"
set logscale xy
set xrange [1:48]
set xtics (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
set yrange [100:100000]
set ytics (100, 200, 500, "1 000" 1000, "2 000" 2000, "5 000" 5000, "10 000" 10000, "20 000" 20000, "50 000" 50000)
set xlabel "joints of the arm"
set ylabel "time of a step / ns per joint"
set grid
set key top left reverse Left
plot "chain.csv" using 1:2 with linespoints lw 1.5 pt 7 ps 0.5 lc "#bb5566" title columnheader(2), \
  "" using 1:5 with linespoints lw 1.5 pt 7 ps 0.5 lc "#ddaa33" title columnheader(5), \
  "" using 1:6 with linespoints lw 1.5 dt 2 pt 7 ps 0.5 lc "#ddaa33" title columnheader(6), \
  "" using 1:7 with linespoints lw 1.5 pt 7 ps 0.5 lc "#228833" title columnheader(7), \
  "" using 1:4 with linespoints lw 2.5 pt 7 ps 0.5 lc "#004488" title "servosim"
