# SPDX-License-Identifier: Apache-2.0
# The figure of docs/explanation/integrators.md, in the root of the repository. benchmarks/run writes the file:
#   gnuplot benchmarks/accuracy.gp
#   gnuplot -e 'data="FILE.csv"' benchmarks/accuracy.gp
if (!exists("data")) data = "build/accuracy.csv"
set datafile separator ","
set terminal svg size 860,400 font "sans,12" background "white"
set output "docs/images/accuracy.svg"
set logscale xy
set xrange [20:200000]
set xtics ("10 µs" 10, "100 µs" 100, "1 ms" 1e3, "10 ms" 1e4, "100 ms" 1e5)
set xlabel "processor time of a simulated second"
set grid
array names = ["ode", "joint", "joint, 3 evaluations", "joint, 1 evaluation", "MuJoCo Euler", \
  "MuJoCo implicitfast", "MuJoCo implicit", "MuJoCo RK4"]
array colors = ["#bb5566", "#004488", "#004488", "#66aadd", "#ddaa33", "#ddaa33", "#997700", "#228833"]
array marks = [7, 7, 6, 2, 7, 6, 2, 7]
array kinds = [1, 1, 2, 1, 1, 2, 1, 1]
array widths = [1.5, 2.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]
set multiplot
set size 0.4, 1
set origin 0, 0
set lmargin 9
set rmargin 1
unset key
set yrange [5e-7:200]
set ytics ("≤1e-6" 1e-6, "1e-5" 1e-5, "1e-4" 1e-4, "1e-3" 1e-3, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
set title "greatest error of the energy within 10 s / %"
clipped(e) = e < 1e-6 ? 1e-6 : e
plot for [i=1:8] data index i - 1 using 2:(clipped($3)) with linespoints lw widths[i] \
  pt marks[i] dt kinds[i] ps 0.5 lc rgb colors[i] title names[i]
set size 0.6, 1
set origin 0.4, 0
set rmargin 27
set key outside right center Left reverse samplen 2
set yrange [1e-13:10]
set ytics ("1e-12" 1e-12, "1e-10" 1e-10, "1e-8" 1e-8, "1e-6" 1e-6, "1e-4" 1e-4, "0.01" 0.01, "1" 1)
set title "greatest error of an angle after 2 s / rad"
plot for [i=1:8] data index i - 1 using 2:4 with linespoints lw widths[i] \
  pt marks[i] dt kinds[i] ps 0.5 lc rgb colors[i] title names[i]
unset multiplot
